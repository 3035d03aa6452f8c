# OpenTofu: internal/lang/evalchecks/eval_for_each.go (errInvalidUnknownDetailMap and errInvalidUnknownDetailSet).
resource "aws_vpc" "main" {
  cidr_block = "10.0.0.0/16"
}

resource "aws_subnet" "each" {
  for_each   = { a = "10.0.1.0/24" }
  vpc_id     = aws_vpc.main.id
  cidr_block = each.value
}

locals {
  vpcs = toset([aws_vpc.main.id])
}

resource "aws_flow_log" "set" {
  for_each = local.vpcs
}

resource "aws_flow_log" "key" {
  for_each = { (aws_vpc.main.arn) = 1 }
}

resource "aws_flow_log" "count" {
  count = aws_vpc.main.main_route_table_id == "x" ? 1 : 0
}

# A plan knows what the block sets, the keys of other resources, and what data sources read.
resource "aws_flow_log" "configured" {
  for_each = toset([aws_vpc.main.cidr_block])
}

resource "aws_flow_log" "chained" {
  for_each = aws_subnet.each
}

resource "aws_flow_log" "value" {
  for_each = { main = aws_vpc.main.id }
}

data "aws_regions" "all" {}

resource "aws_flow_log" "read" {
  for_each = data.aws_regions.all.names
}

module "inside" {
  source = "./inside"
  vpcs   = toset([aws_vpc.main.id])
}

module "repeated" {
  source   = "./inside"
  for_each = toset([aws_vpc.main.id])
  vpcs     = toset([])
}
