terraform {
  required_providers {
    aws = {
      source = "hashicorp/aws"
    }
  }
}

provider "aws" {
  alias  = "new"
  region = "eu-west-1"
}

module "network" {
  source = "./network"
  providers = {
    aws = aws.new
  }
}
