# OpenTofu 1.8 and later evaluate the source before all instances: internal/configs/static_scope.go
# (StaticValidateReferences). Terraform 1.15 and later: internal/terraform/node_module_install.go (evalSource). Older
# releases accept no reference at all.
module "each" {
  for_each = toset(["net"])
  source   = "./${each.value}"
}

module "count" {
  count  = 1
  source = "./${count.index}"
}

locals {
  name = aws_vpc.main.id
}

module "resource" {
  source = "./${local.name}"
}

resource "aws_vpc" "main" {}
