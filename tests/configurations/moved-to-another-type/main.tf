resource "terraform_data" "new" {
}

moved {
  from = null_resource.old
  to   = terraform_data.new
}
