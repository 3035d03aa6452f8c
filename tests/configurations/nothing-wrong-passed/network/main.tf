terraform {
  required_providers {
    aws = {
      source = "hashicorp/aws"
    }
  }
}

resource "aws_vpc" "main" {
}

resource "aws_vpc" "counted" {
  for_each = toset(["eu-west-1"])
}
