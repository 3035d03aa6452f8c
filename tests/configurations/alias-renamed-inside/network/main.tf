terraform {
  required_providers {
    aws = {
      source = "hashicorp/aws"
    }
  }
}

provider "aws" {
  alias  = "new"
  region = "eu-west-1"
}

resource "aws_vpc" "main" {
  provider = aws.new
}
