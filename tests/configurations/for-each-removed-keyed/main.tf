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

module "network" {
  source   = "./network"
  for_each = toset(["eu-west-1", "us-east-1"])
  providers = {
    aws = aws.by_region
  }
}
