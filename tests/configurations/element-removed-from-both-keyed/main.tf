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

module "network" {
  source   = "./network"
  for_each = var.regions
  providers = {
    aws = aws.by_region[each.key]
  }
}
