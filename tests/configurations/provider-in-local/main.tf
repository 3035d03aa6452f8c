provider "aws" {
  alias    = "by_region"
  for_each = toset(["us-east-1"])
  region   = each.key
}

locals {
  p      = aws.by_region["us-east-1"]
  listed = [for each in ["us-east-1"] : aws.by_region[each]]
  fine   = aws_vpc.main.id
}

resource "aws_vpc" "main" {
  provider = aws.by_region["us-east-1"]
}
