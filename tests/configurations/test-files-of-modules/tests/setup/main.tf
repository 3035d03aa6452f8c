terraform {
  required_providers {
    aws = {
      source = "example.com/me/aws"
    }
  }
}

module "inner" {
  source = "./inner"
  providers = {
    random = random
  }
}
