terraform {
  required_providers {
    aws = {
      source = "hashicorp/aws"
    }
  }
}

provider "aws" {
  alias    = "by_region"
  for_each = toset(["eu-west-1", "us-east-1"])
  region   = each.key
}

module "a" {
  source = "./outer"
  for_each = toset(["eu-west-1", "us-east-1"])
  providers = {
    aws = aws.by_region[each.key]
  }
}
