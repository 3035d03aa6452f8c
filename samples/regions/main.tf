# The configuration of ../v4-regions.tfstate, after somebody took "eu-west-1" out of the regions: see
# docs/guides/incident.md.

terraform {
  required_providers {
    aws = {
      source = "hashicorp/aws"
    }
  }
}

variable "regions" {
  type    = set(string)
  default = ["eu-north-1", "us-west-2"]
}

locals {
  # Only the alarm is in eu-north-1.
  shops = setsubtract(var.regions, ["eu-north-1"])
}

provider "aws" {
  region = "us-east-1"
}

provider "aws" {
  for_each = var.regions
  alias    = "by_region"
  region   = each.value
}

data "aws_caller_identity" "current" {}

resource "aws_iam_role" "app" {}

resource "aws_cloudwatch_metric_alarm" "budget" {
  provider = aws.by_region["eu-north-1"]
}

resource "aws_vpc" "main" {
  for_each = local.shops
  provider = aws.by_region[each.key]
}

resource "aws_instance" "web" {
  for_each = local.shops
  provider = aws.by_region[each.key]
}

module "database" {
  source    = "./database"
  for_each  = merge({ for region in local.shops : region => region }, { archive = "us-west-2" })
  providers = {
    aws = aws.by_region[each.value]
  }
}
