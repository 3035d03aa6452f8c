module "inner" {
  source = "./inner"
  providers = {
    time = time
  }
}
