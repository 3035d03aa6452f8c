terraform {
  required_providers {
    aws = {
      source = "hashicorp/aws"
    }
  }
}

provider "aws" {
  alias = "west"
}

resource "aws_vpc" "without" {}

resource "aws_vpc" "other" {
  provider = aws
}

resource "aws_vpc" "same" {
  provider = aws.west
  for_each = toset(["a"])
}

import {
  to       = aws_vpc.without
  id       = "vpc-1"
  provider = aws.west
}

import {
  to       = aws_vpc.other
  id       = "vpc-2"
  provider = aws.west
}

import {
  for_each = toset(["a"])
  to       = aws_vpc.same[each.key]
  id       = each.key
  provider = aws.west
}

import {
  to       = module.network.aws_vpc.inner
  id       = "vpc-4"
  provider = aws.west
}

import {
  to       = aws_vpc.to_be_written
  id       = "vpc-5"
  provider = aws.wset
}

import {
  to       = aws_vpc.to_be_written_too
  id       = "vpc-6"
  provider = "${local.x}"
}

module "network" {
  source = "./network"
}

resource "aws_vpc" "undeclared" {
  provider = aws.nowhere
}

import {
  to       = aws_vpc.undeclared
  id       = "vpc-7"
  provider = aws.nowhere
}
