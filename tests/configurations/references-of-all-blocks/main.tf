terraform {
  required_providers {
    aws = {
      source = "hashicorp/aws"
    }
  }
}

provider "aws" {
  alias    = "by_region"
  for_each = toset(["eu"])
  region   = each.key
}

provider "aws" {
  alias  = "plain"
  region = "us"
}

ephemeral "aws_secret" "without_key" {
  provider = aws.by_region
}

ephemeral "aws_secret" "needless_key" {
  provider = aws.plain["us"]
}

ephemeral "aws_secret" "missing_key" {
  provider = aws.by_region["us"]
}

ephemeral "aws_secret" "undeclared" {
  provider = aws.nowhere
}

ephemeral "aws_secret" "fine" {
  provider = aws.by_region["eu"]
}

check "healthy" {
  data "aws_vpc" "without_key" {
    provider = aws.by_region
  }

  assert {
    condition     = data.aws_vpc.without_key.id != ""
    error_message = "There is no such VPC."
  }
}

resource "aws_vpc" "quoted" {
  provider = "aws.plain"
}

resource "aws_vpc" "name" {
  provider = my_aws
}

resource "aws_vpc" "no_alias" {
  provider = aws["eu"]
}

resource "aws_vpc" "no_alias_either" {
  provider = aws[local.region]
}

moved {
  from = aws_vpc.old
  to   = aws_vpc.quoted
}

removed {
  from = aws_vpc.gone

  lifecycle {
    destroy = false
  }
}

locals {
  region = "eu"
}

provider "aws" {
  alias = "empty"
}

resource "aws_vpc" "of_an_empty_block" {
  provider = aws.empty[local.region]
}

resource "aws_vpc" "quoted_with_key" {
  for_each = toset(["eu"])
  provider = "aws.by_region[each.key]"
}
