module "vpc" {
  source = "../modules/vpc"
  zones  = ["a", "b"]
}

resource "terraform_data" "web" {
  count = 2
  input = { name = "web-${count.index}", network = module.vpc.network_id }
}
