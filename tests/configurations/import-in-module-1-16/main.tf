terraform {
  required_version = ">= 1.16"
}
module "network" {
  source = "./network"
}
