module "blocks" {
  source = "./blocks"
}

module "escaped" {
  source = "./escaped"
}

module "json" {
  source = "./json"
}

module "versioned" {
  source = "./versioned"
}
