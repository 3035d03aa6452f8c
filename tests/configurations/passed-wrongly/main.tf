terraform {
  required_providers {
    aws = {
      source = "hashicorp/aws"
    }
  }
}

provider "aws" {
  alias  = "west"
  region = "us-west-2"
}

module "twice" {
  source = "./network"
  providers = {
    amazon = aws
    "amazon" = aws.west
  }
}

module "legacy" {
  source = "./network"

  provider "aws" {
    region = "x"
  }
}
