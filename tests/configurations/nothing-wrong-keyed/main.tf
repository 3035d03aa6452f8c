terraform {
  required_providers {
    aws = {
      source = "hashicorp/aws"
    }
  }
}

locals {
  networks = toset(["eu-west-1", "us-east-1"])
  providers = {
    "eu-west-1" = "one"
    "us-east-1" = "two"
  }
}

provider "aws" {
  alias    = "by_region"
  for_each = local.providers
  region   = each.key
}

module "network" {
  source   = "./network"
  for_each = local.networks
  providers = {
    aws = aws.by_region[each.value]
  }
}

module "inherits" {
  source = "./network"
}
