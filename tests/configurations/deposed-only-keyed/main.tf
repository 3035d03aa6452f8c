terraform {
  required_providers {
    aws = {
      source = "hashicorp/aws"
    }
  }
}

locals {
  providers = toset(["eu-west-1"])
}

provider "aws" {
  alias    = "by_region"
  for_each = local.providers
  region   = each.key
}

module "network" {
  source   = "./network"
  for_each = toset(["eu-west-1"])
  providers = {
    aws = aws.by_region[each.key]
  }
}
