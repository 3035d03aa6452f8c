terraform {
  required_providers {
    aws = {
      source = "hashicorp/aws"
    }
  }
}

module "a" {
  source = "./network"
}
