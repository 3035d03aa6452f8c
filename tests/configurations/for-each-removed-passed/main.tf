terraform {
  required_providers {
    aws = {
      source = "hashicorp/aws"
    }
  }
}

provider "aws" {
  alias  = "by_region"
  region = "eu-west-1"
}

module "network" {
  source = "./network"
  providers = {
    aws = aws.by_region
  }
}
