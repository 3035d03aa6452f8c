resource "terraform_data" "dns_zone" {
  input = "example.com"
}
