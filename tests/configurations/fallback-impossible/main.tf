terraform {
  required_providers {
    aws = {
      source = "hashicorp/aws"
    }
  }
}

provider "aws" {
  alias    = "new"
  for_each = toset(["eu-west-1"])
  region   = each.key
}

resource "aws_vpc" "main" {
  for_each = toset(["eu-west-1"])
  provider = aws.new[each.key]
}
