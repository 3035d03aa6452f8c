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

provider "aws" {
  region = "eu-west-1"
}

resource "aws_vpc" "main" {
  for_each = local.networks
  provider = aws.by_region[each.value]
}

resource "aws_vpc" "default" {
}
