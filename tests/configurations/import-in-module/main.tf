module "network" {
  source = "./network"
}
