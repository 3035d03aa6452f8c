terraform {
  required_providers {
    mine = {
      source = "hashicorp/aws"
    }
    amazon = {
      source = "example.com/me/aws"
    }
  }
}

provider "mine" {
  alias  = "west"
  region = "us-west-2"
}

module "other_name" {
  source = "./network"
  providers = {
    aws   = mine
    aws.x = mine.west
  }
}

module "same_name" {
  source = "./network"
  providers = {
    amazon = mine
  }
}

module "no_name" {
  source = "./network"
  providers = {
    aws = time
  }
}
