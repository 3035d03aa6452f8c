terraform {
  required_providers {
    aws = {
      source = "hashicorp/aws"
    }
  }
}

locals {
  networks = toset(["0", "eu-west-1", "us-east-1"])
}

provider "aws" {
  alias    = "new"
  for_each = toset(["0", "eu-west-1", "us-east-1"])
  region   = each.key
}

resource "aws_vpc" "main" {
  for_each = local.networks
  provider = aws.new[each.key]
}
