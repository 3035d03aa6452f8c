terraform {
  required_version = ">= 1.15.2, < 1.17"
}
module "network" {
  source = "./network"
}
