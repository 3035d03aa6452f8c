terraform {
  required_providers {
    aws = {
      source = "hashicorp/aws"
    }
  }
}

provider "aws" {
  alias  = "by_region"
  region = "eu-west-1"
}

resource "aws_vpc" "main" {
  provider = aws.by_region
}
