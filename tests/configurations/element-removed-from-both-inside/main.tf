terraform {
  required_providers {
    aws = {
      source = "hashicorp/aws"
    }
  }
}

module "network" {
  source = "./network"
}
