terraform {
  required_providers {
    aws = {
      source = "hashicorp/aws"
    }
  }
}

provider "aws" {
  alias    = "by_region"
  for_each = toset(["eu-west-1"])
  region   = each.key
}

module "eu" {
  source = "./network"
  providers = {
    aws = aws.by_region["eu-west-1"]
  }
}
