provider "aws" {
  alias    = "in"
  for_each = { eu = "eu-west-1", us = "us-east-1" }
  region   = each.value
}

resource "aws_sqs_queue" "right" {
  provider = aws.in["eu"]
}

resource "aws_sqs_queue" "wrong" {
  provider = aws.in["us"]
}

# The block decides, so the region of the provider proves nothing.
resource "aws_sqs_queue" "own_region" {
  provider = aws.in["us"]
  region   = "eu-west-1"
}

# Roles have no region.
resource "aws_iam_role" "global" {
  provider = aws.in["us"]
}
