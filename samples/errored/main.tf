resource "terraform_data" "network" {
  input = "10.0.0.0/16"
}

resource "terraform_data" "database" {
  input = "postgres"
}
