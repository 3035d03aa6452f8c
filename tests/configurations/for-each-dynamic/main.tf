resource "aws_vpc" "main" {
  for_each = toset(["a"])
}

data "aws_regions" "all" {}

locals {
  direct  = toset(data.aws_regions.all.names)
  through = local.direct
  static  = toset(["eu"])
}

variable "later" {
  type    = set(string)
  default = ["eu"]
  const   = false
}

provider "aws" {
  alias    = "by_resource"
  for_each = toset([aws_vpc.main["a"].id])
  region   = each.key
}

provider "aws" {
  alias    = "by_output"
  for_each = module.network.regions
  region   = each.key
}

provider "aws" {
  alias    = "by_local"
  for_each = local.through
  region   = each.key
}

provider "aws" {
  alias    = "by_variable"
  for_each = var.later
  region   = each.key
}

provider "aws" {
  alias    = "fine"
  for_each = local.static
  region   = each.key
}

module "network" {
  source  = "./network"
  regions = toset([aws_vpc.main["a"].arn])
}
