terraform {
  required_providers {
    aws = {
      source = "hashicorp/aws"
    }
  }
}

locals {
  networks = toset(["eu-west-1", "us-east-1"])
}

provider "aws" {
  alias    = "by_region"
  for_each = toset(["eu-west-1", "us-east-1"])
  region   = each.key
}

module "network" {
  source   = "./network"
  for_each = local.networks
  providers = {
    aws = aws.by_region[each.key]
  }
}
