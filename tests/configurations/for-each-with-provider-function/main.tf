terraform {
  required_providers {
    aws = { source = "hashicorp/aws" }
  }
}

locals {
  names = toset([provider::aws::trim_iam_role_path("arn:aws:iam::111111111111:role/a/eu")])
}

# No provider is configured yet when its instances are determined.
provider "aws" {
  alias    = "direct"
  for_each = toset([provider::aws::trim_iam_role_path("arn:aws:iam::111111111111:role/a/us")])
}

provider "aws" {
  alias    = "by_local"
  for_each = local.names
}
