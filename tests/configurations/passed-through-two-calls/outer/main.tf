terraform {
  required_providers {
    aws = {
      source = "hashicorp/aws"
    }
  }
}

module "b" {
  source = "../network"
  providers = {
    aws = aws
  }
}
