locals {
  regions = { eu = "eu-west-1", us = "us-east-1" }
}

provider "aws" {
  alias    = "by_region"
  for_each = local.regions
  region   = each.value
}

resource "aws_sqs_queue" "jobs" {
  for_each = local.regions
  provider = aws.by_region[each.key]
  name     = "jobs"
}
