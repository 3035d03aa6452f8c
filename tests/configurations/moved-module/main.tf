terraform {
  required_providers {
    aws = {
      source = "hashicorp/aws"
    }
  }
}

module "b" {
  source = "./network"
}

moved {
  from = module.a
  to   = module.b
}
