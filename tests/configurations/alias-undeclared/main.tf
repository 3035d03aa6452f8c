terraform {
  required_providers {
    aws = {
      source = "hashicorp/aws"
    }
  }
}

provider "aws" {
  alias = "west"
}

resource "aws_vpc" "main" {
  provider = aws.wset
}
