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
  for_each = var.regions
  region   = each.key
}

resource "aws_vpc" "main" {
  for_each = var.regions
  provider = aws.by_region[each.key]
}
