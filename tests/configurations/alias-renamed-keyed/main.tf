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
  alias    = "new"
  for_each = toset(["eu-west-1", "us-east-1", "us-west-2"])
  region   = each.key
}

module "network" {
  source   = "./network"
  for_each = local.networks
  providers = {
    aws = aws.new[each.key]
  }
}
