terraform {
  required_providers {
    aws = {
      source = "hashicorp/aws"
    }
  }
}

variable "regions" {
  type    = set(string)
  default = ["eu-west-1"]
}

provider "aws" {
  alias    = "by_region"
  for_each = { for region in var.regions : region => upper(region) }
}

resource "aws_vpc" "main" {
  for_each = ({ for region in var.regions : region => upper(region) })
  provider = aws.by_region[each.key]
}

resource "aws_vpc" "other" {
  for_each = { for region in var.regions : region => lower(region) }
  provider = aws.by_region[each.key]
}

data "aws_ami" "main" {
  for_each = { for region in var.regions : region => upper(region) }
  provider = aws.by_region[each.key]
}
