terraform {
  required_providers {
    aws = {
      source = "hashicorp/aws"
    }
  }
}

resource "aws_vpc" "main" {}

module "first" {
  source     = "./network"
  depends_on = [aws_vpc.main, aws_vpc.other]
}

module "second" {
  source = "./around"
}
