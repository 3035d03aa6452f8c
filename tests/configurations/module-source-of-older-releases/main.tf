# OpenTofu 1.7.0, internal/configs/module_call.go (decodeModuleBlock): the source is decoded without variables.
terraform {
  required_version = "~> 1.7.0"
}

variable "name" {
  default = "net"
}

module "by_variable" {
  source = "./${var.name}"
}

module "literal" {
  source = "./net"
}
