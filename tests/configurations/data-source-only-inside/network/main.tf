terraform {
  required_providers {
    aws = {
      source = "hashicorp/aws"
    }
  }
}

locals {
  networks  = toset(["eu-west-1", "us-east-1"])
  providers = toset(["eu-west-1"])
}

provider "aws" {
  alias    = "by_region"
  for_each = local.providers
  region   = each.key
}

data "aws_ami" "kept" {
  for_each = local.networks
  provider = aws.by_region[each.key]
}
