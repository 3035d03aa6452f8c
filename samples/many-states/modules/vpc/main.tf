variable "zones" {
  type = set(string)
}

resource "terraform_data" "network" {
  input = "10.0.0.0/16"
}

resource "terraform_data" "subnet" {
  for_each = var.zones
  input    = { zone = each.key, network = terraform_data.network.id }
}

output "network_id" {
  value = terraform_data.network.id
}
