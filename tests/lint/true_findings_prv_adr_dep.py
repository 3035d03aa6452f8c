"""What the rules about providers, addresses and dependencies find in recorded states that OpenTofu takes in silence.

These are the accepted cases without warnings of the groups `random`, `modules-sorting` and `attributes-fidelity`: what
is found there above info must be true. Each was looked at by hand; the reason stands above each table, whose lines are
the case and the address of the finding (for PRV009: how many resources each registry has; for DEP002: and what the
resource depends on).
"""

from __future__ import annotations

from typing import Final

# Two entries of `resources` say the same module, mode, type and name.
_ADR005 = r"""
modules-sorting/045-duplicate-resource-other-keys aws_instance.web
"""

# One of the instances has no `index_key`, the others have one (the note of each case says what was taken away).
_ADR006 = r"""
random/410-m10-null module.node[1].aws_instance.legacy
random/500-m100-null module.db["a.b"].module.replica[2].aws_iam_role.worker
random/503-m103-null module.app["eu-west-1"].azurerm_storage_account.legacy
random/540-m140-delete random_password.green
"""

# All three are managed, of type t, with the provider hashicorp/aws and the id "t.a".
_ADR008 = r"""
modules-sorting/042-everything module.a.t.a
modules-sorting/042-everything module.b.t.a
modules-sorting/042-everything t.a
"""

# The change that made the case took the type or the name away, or swapped `type` for a provider address.
_ADR009 = r"""
random/402-m2-delete module.db["a.b"].module.replica[2].random_id.
random/444-m44-null data.kubernetes_service.
random/470-m70-rename module.node[1]..this
random/480-m80-null module.node[10]..db
random/482-m82-rekey module.node[1].provider["registry.opentofu.org/hashicorp/aws"].q.main
random/485-m85-rename module.app..primary
random/504-m104-rename module.node[0]..canary
"""

# The resource on the right isn't in the file.
_DEP002 = r"""
attributes-fidelity/036-style-compact aws_instance.web -> aws_vpc.main
attributes-fidelity/037-style-indent-2 aws_instance.web -> aws_vpc.main
attributes-fidelity/038-style-indent-4 aws_instance.web -> aws_vpc.main
attributes-fidelity/039-style-tabs aws_instance.web -> aws_vpc.main
attributes-fidelity/040-style-crlf aws_instance.web -> aws_vpc.main
attributes-fidelity/041-style-cr-only aws_instance.web -> aws_vpc.main
attributes-fidelity/042-style-no-final-newline aws_instance.web -> aws_vpc.main
attributes-fidelity/044-style-one-space aws_instance.web -> aws_vpc.main
attributes-fidelity/046-style-ascii-escapes aws_instance.web -> aws_vpc.main
attributes-fidelity/047-style-sorted-keys aws_instance.web -> aws_vpc.main
random/485-m85-rename data.aws_ami.worker -> module.app.random_id.primary
"""

# The provider is named by its type only, `provider.TYPE`, on the resource.
_PRV007 = r"""
random/006-s6 module.q["say \"hi\""].azurerm_storage_account.main
random/015-s15 module.app["us-east-1"].aws_iam_role.blue
random/024-s24 module.node[10].random_id.legacy
random/027-s27 module.node[1].data.aws_ami.blue
random/032-s32 module.network.data.aws_caller_identity.logs
random/038-s38 module.node[0].aws_iam_role.canary
random/052-s52 module.node[0].random_id.edge
random/053-s53 module.db["a.b"].module.replica[2].data.aws_ami.this
random/070-s70 aws_vpc.node_1
random/071-s71 module.node[0].data.kubernetes_service.web
random/088-s88 module.node[10].google_compute_instance.logs
random/144-s144 module.node[10].aws_iam_role.this
random/153-s153 random_password.primary
random/175-s175 module.network.data.aws_ami.node_1
random/180-s180 module.db["a.b"].module.replica[2].tls_private_key.node_1
random/204-s204 module.node[10].aws_instance.logs
random/240-s240 aws_vpc.blue
random/248-s248 module.node[1].helm_release.edge
random/250-s250 module.node[1].aws_instance.legacy
random/253-s253 module.app.kubernetes_namespace.legacy
random/291-s291 module.platform.module.tenant["acme/corp"].random_id.app
random/295-s295 google_storage_bucket.app
random/295-s295 module.app["eu-west-1"].data.aws_ami.worker
random/300-s300 azurerm_storage_account.api-v2
random/316-s316 module.node[1].data.aws_ami.node_1
random/326-s326 module.app["us-east-1"].aws_instance.primary
random/365-s365 module.network.vault_policy.legacy
random/377-s377 module.app.kubernetes_secret.green
random/405-m5-delete module.node[0].kubernetes_namespace.db
random/465-m65-delete kubernetes_secret.app
random/485-m85-rename module.node[10].kubernetes_namespace.edge
random/499-m99-rename module.node[1].helm_release.app
random/547-m147-delete module.node[10].aws_vpc.db
"""

# The resource's `provider` begins with the path of the module that it is in (or of one that calls that), and in
# `module` that path has a key.
_PRV008 = r"""
random/006-s6 module.q["say \"hi\""].azurerm_storage_account.main
random/010-s10 module.node[0].aws_s3_bucket.worker
random/010-s10 module.node[1].random_password.logs
random/014-s14 module.node[10].terraform_data.blue
random/015-s15 module.app["us-east-1"].random_password.green
random/015-s15 module.db["a.b"].module.replica[2].helm_release.canary
random/029-s29 module.platform.module.tenant["acme/corp"].null_resource.canary
random/035-s35 module.app["eu-west-1"].aws_iam_role.web
random/037-s37 module.node[10].helm_release.logs
random/048-s48 module.node[10].tls_private_key.green
random/052-s52 module.app["us-east-1"].google_storage_bucket.web
random/052-s52 module.node[0].null_resource.blue
random/052-s52 module.node[10].azurerm_resource_group.api-v2
random/054-s54 module.q["say \"hi\""].google_compute_instance.edge
random/070-s70 module.node[0].google_storage_bucket.canary
random/076-s76 module.app["eu-west-1"].aws_instance.node_1
random/076-s76 module.q["say \"hi\""].random_id.this
random/077-s77 module.db["a.b"].module.replica[2].tls_private_key.web
random/079-s79 module.db["a.b"].module.replica[2].terraform_data.legacy
random/086-s86 module.node[10].helm_release.api-v2
random/087-s87 module.app["us-east-1"].data.google_client_config.legacy
random/088-s88 module.node[10].google_compute_instance.logs
random/094-s94 module.platform.module.tenant["acme/corp"].aws_vpc.primary
random/099-s99 module.node[0].random_password.api-v2
random/099-s99 module.node[10].google_storage_bucket.db
random/101-s101 module.db["a.b"].module.replica[2].random_password.edge
random/101-s101 module.node[1].random_id.edge
random/108-s108 module.db["a.b"].module.replica[2].helm_release.this
random/108-s108 module.node[1].google_compute_instance.node_1
random/114-s114 module.app["us-east-1"].aws_iam_role.web
random/117-s117 module.node[1].data.terraform_remote_state.edge
random/120-s120 module.node[1].azurerm_resource_group.api-v2
random/122-s122 module.app["us-east-1"].google_compute_instance.this
random/124-s124 module.platform.module.tenant["acme/corp"].aws_s3_bucket.app
random/126-s126 module.node[0].helm_release.edge
random/128-s128 module.q["say \"hi\""].vault_policy.canary
random/135-s135 module.db["a.b"].module.replica[2].data.aws_ami.app
random/137-s137 module.node[1].kubernetes_namespace.db
random/143-s143 module.node[1].aws_s3_bucket.primary
random/144-s144 module.db["a.b"].module.replica[2].aws_instance.api-v2
random/151-s151 module.app["eu-west-1"].kubernetes_namespace.this
random/151-s151 module.q["say \"hi\""].random_password.app
random/160-s160 module.db["a.b"].module.replica[2].azurerm_storage_account.legacy
random/165-s165 module.node[1].data.aws_region.canary
random/165-s165 module.q["say \"hi\""].google_storage_bucket.main
random/172-s172 module.db["a.b"].module.replica[2].google_compute_instance.blue
random/179-s179 module.app["eu-west-1"].data.azurerm_client_config.green
random/180-s180 module.app["eu-west-1"].google_compute_instance.green
random/180-s180 module.q["say \"hi\""].terraform_data.node_1
random/196-s196 module.db["a.b"].module.replica[2].aws_instance.logs
random/199-s199 module.node[1].random_id.this
random/201-s201 module.node[10].aws_vpc.main
random/204-s204 module.db["a.b"].module.replica[2].aws_vpc.edge
random/204-s204 module.node[10].aws_instance.logs
random/208-s208 module.db["a.b"].module.replica[2].data.azurerm_client_config.primary
random/217-s217 module.node[10].azurerm_storage_account.logs
random/219-s219 module.app["us-east-1"].azurerm_storage_account.node_1
random/223-s223 module.app["eu-west-1"].kubernetes_secret.primary
random/225-s225 module.platform.module.tenant["acme/corp"].azurerm_resource_group.db
random/227-s227 module.app["eu-west-1"].data.kubernetes_service.worker
random/230-s230 module.app["eu-west-1"].data.aws_ami.web
random/234-s234 module.node[1].aws_iam_role.worker
random/236-s236 module.db["a.b"].module.replica[2].aws_s3_bucket.legacy
random/243-s243 module.node[0].terraform_data.primary
random/246-s246 module.app["us-east-1"].data.aws_caller_identity.node_1
random/246-s246 module.db["a.b"].module.replica[2].null_resource.web
random/250-s250 module.node[1].aws_instance.legacy
random/251-s251 module.platform.module.tenant["acme/corp"].terraform_data.node_1
random/253-s253 module.node[0].terraform_data.blue
random/253-s253 module.node[1].google_storage_bucket.primary
random/261-s261 module.node[0].aws_s3_bucket.node_1
random/261-s261 module.node[1].data.aws_region.edge
random/261-s261 module.platform.module.tenant["acme/corp"].tls_private_key.legacy
random/264-s264 module.q["say \"hi\""].aws_s3_bucket.legacy
random/267-s267 module.node[1].aws_s3_bucket.canary
random/273-s273 module.app["us-east-1"].kubernetes_secret.web
random/288-s288 module.node[0].aws_s3_bucket.logs
random/290-s290 module.node[10].terraform_data.green
random/291-s291 module.app["eu-west-1"].vault_policy.db
random/293-s293 module.platform.module.tenant["acme/corp"].data.aws_caller_identity.app
random/295-s295 module.node[0].aws_instance.api-v2
random/295-s295 module.q["say \"hi\""].data.terraform_remote_state.legacy
random/296-s296 module.db["a.b"].module.replica[2].vault_policy.this
random/297-s297 module.db["a.b"].module.replica[2].aws_iam_role.logs
random/299-s299 module.app["us-east-1"].vault_policy.node_1
random/299-s299 module.node[0].helm_release.app
random/299-s299 module.node[1].aws_iam_role.main
random/302-s302 module.app["us-east-1"].azurerm_resource_group.canary
random/303-s303 module.app["us-east-1"].azurerm_resource_group.app
random/303-s303 module.db["a.b"].module.replica[2].random_password.app
random/303-s303 module.platform.module.tenant["acme/corp"].aws_instance.canary
random/303-s303 module.platform.module.tenant["acme/corp"].azurerm_storage_account.primary
random/304-s304 module.node[0].aws_vpc.this
random/308-s308 module.node[1].vault_policy.green
random/308-s308 module.platform.module.tenant["acme/corp"].kubernetes_namespace.primary
random/308-s308 module.platform.module.tenant["acme/corp"].vault_policy.edge
random/309-s309 module.node[10].kubernetes_namespace.app
random/309-s309 module.node[1].data.azurerm_client_config.edge
random/310-s310 module.platform.module.tenant["acme/corp"].tls_private_key.edge
random/311-s311 module.app["eu-west-1"].data.terraform_remote_state.green
random/312-s312 module.platform.module.tenant["acme/corp"].tls_private_key.blue
random/317-s317 module.node[0].random_id.api-v2
random/320-s320 module.platform.module.tenant["acme/corp"].kubernetes_secret.primary
random/320-s320 module.q["say \"hi\""].null_resource.db
random/328-s328 module.node[1].kubernetes_secret.blue
random/333-s333 module.node[10].azurerm_storage_account.legacy
random/333-s333 module.q["say \"hi\""].kubernetes_secret.this
random/341-s341 module.db["a.b"].module.replica[2].helm_release.app
random/342-s342 module.node[0].google_storage_bucket.app
random/346-s346 module.app["us-east-1"].data.aws_region.api-v2
random/351-s351 module.app["eu-west-1"].google_storage_bucket.db
random/351-s351 module.node[0].helm_release.this
random/357-s357 module.q["say \"hi\""].aws_s3_bucket.worker
random/360-s360 module.node[0].google_compute_instance.node_1
random/360-s360 module.platform.module.tenant["acme/corp"].data.terraform_remote_state.worker
random/364-s364 module.platform.module.tenant["acme/corp"].azurerm_storage_account.main
random/365-s365 module.node[10].aws_instance.app
random/365-s365 module.platform.module.tenant["acme/corp"].null_resource.main
random/373-s373 module.app["eu-west-1"].aws_iam_role.web
random/379-s379 module.app["us-east-1"].terraform_data.canary
random/384-s384 module.app["us-east-1"].data.google_client_config.this
random/384-s384 module.db["a.b"].module.replica[2].aws_instance.blue
random/392-s392 module.node[1].random_password.edge
random/392-s392 module.platform.module.tenant["acme/corp"].kubernetes_secret.app
random/395-s395 module.app["eu-west-1"].kubernetes_namespace.worker
random/395-s395 module.db["a.b"].module.replica[2].aws_vpc.node_1
random/410-m10-null module.node[1].aws_instance.legacy
random/410-m10-null module.q["say \"hi\""].data.aws_region.node_1
random/413-m13-null module.db["a.b"].module.replica[2].google_storage_bucket.worker
random/416-m16-null module.node[10].data.kubernetes_service.db
random/416-m16-null module.q["say \"hi\""].aws_vpc.green
random/425-m25-delete module.db["a.b"].module.replica[2].kubernetes_namespace.logs
random/440-m40-delete module.q["say \"hi\""].aws_instance.app
random/465-m65-delete module.app["eu-west-1"].tls_private_key.primary
random/480-m80-null module.db["a.b"].module.replica[2].data.aws_caller_identity.worker
random/481-m81-delete module.node[10].aws_s3_bucket.api-v2
random/482-m82-rekey module.node[1].provider["registry.opentofu.org/hashicorp/aws"].q.main
random/484-m84-retype module.q["say \"hi\""].aws_s3_bucket.app
random/485-m85-rename module.node[10].kubernetes_namespace.edge
random/488-m88-delete module.platform.module.tenant["acme/corp"].azurerm_storage_account.api-v2
random/496-m96-delete module.app["us-east-1"].aws_vpc.primary
random/499-m99-rename module.node[10].aws_instance.worker
random/499-m99-rename module.node[1].helm_release.app
random/500-m100-null module.q["say \"hi\""].google_compute_instance.primary
random/503-m103-null module.q["say \"hi\""].data.aws_caller_identity.main
random/509-m109-retype module.app["eu-west-1"].aws_instance.primary
random/514-m114-null module.node[0].azurerm_storage_account.edge
random/536-m136-delete module.platform.module.tenant["acme/corp"].data.aws_ami.this
random/536-m136-delete module.platform.module.tenant["acme/corp"].tls_private_key.this
random/539-m139-delete module.app["us-east-1"].aws_instance.web
random/540-m140-delete module.node[0].tls_private_key.worker
random/540-m140-delete module.node[10].tls_private_key.green
random/544-m144-delete module.db["a.b"].module.replica[2].kubernetes_namespace.app
"""

# So many resources have a provider from registry.terraform.io, and so many one from registry.opentofu.org.
_PRV009 = r"""
random/001-s1 1 + 2
random/010-s10 3 + 7
random/014-s14 4 + 10
random/015-s15 1 + 1
random/017-s17 4 + 11
random/023-s23 1 + 1
random/032-s32 1 + 1
random/033-s33 1 + 4
random/035-s35 1 + 2
random/036-s36 1 + 2
random/038-s38 1 + 1
random/047-s47 1 + 1
random/048-s48 1 + 4
random/051-s51 1 + 1
random/052-s52 2 + 8
random/056-s56 1 + 1
random/076-s76 1 + 3
random/078-s78 3 + 3
random/081-s81 1 + 2
random/087-s87 1 + 1
random/089-s89 2 + 2
random/090-s90 1 + 1
random/093-s93 1 + 1
random/096-s96 1 + 1
random/099-s99 3 + 4
random/109-s109 1 + 2
random/114-s114 1 + 2
random/126-s126 1 + 2
random/137-s137 1 + 2
random/151-s151 3 + 2
random/154-s154 1 + 1
random/160-s160 1 + 1
random/162-s162 1 + 1
random/165-s165 3 + 6
random/166-s166 1 + 1
random/168-s168 1 + 2
random/175-s175 1 + 1
random/180-s180 3 + 5
random/184-s184 1 + 5
random/197-s197 3 + 5
random/198-s198 1 + 1
random/199-s199 3 + 3
random/200-s200 1 + 2
random/201-s201 2 + 1
random/212-s212 1 + 3
random/217-s217 1 + 3
random/221-s221 1 + 1
random/222-s222 1 + 1
random/223-s223 3 + 2
random/227-s227 1 + 3
random/234-s234 1 + 2
random/245-s245 1 + 2
random/246-s246 1 + 1
random/253-s253 6 + 10
random/261-s261 2 + 4
random/264-s264 1 + 2
random/277-s277 1 + 1
random/283-s283 1 + 1
random/287-s287 2 + 1
random/293-s293 2 + 1
random/294-s294 1 + 1
random/295-s295 1 + 5
random/299-s299 1 + 5
random/303-s303 2 + 10
random/307-s307 2 + 4
random/309-s309 1 + 2
random/310-s310 2 + 2
random/312-s312 2 + 2
random/315-s315 1 + 1
random/316-s316 1 + 6
random/317-s317 2 + 1
random/322-s322 1 + 1
random/328-s328 1 + 1
random/330-s330 1 + 2
random/333-s333 3 + 9
random/337-s337 2 + 1
random/341-s341 1 + 1
random/342-s342 4 + 12
random/346-s346 1 + 1
random/347-s347 1 + 1
random/348-s348 1 + 1
random/351-s351 1 + 6
random/355-s355 2 + 4
random/357-s357 1 + 4
random/359-s359 1 + 2
random/360-s360 1 + 1
random/365-s365 3 + 6
random/366-s366 2 + 1
random/378-s378 1 + 2
random/379-s379 2 + 2
random/384-s384 2 + 5
random/390-s390 1 + 2
random/391-s391 1 + 2
random/392-s392 3 + 6
random/395-s395 1 + 3
random/402-m2-delete 2 + 1
random/410-m10-null 1 + 1
random/424-m24-null 1 + 1
random/440-m40-delete 1 + 1
random/450-m50-null 1 + 1
random/460-m60-null 1 + 1
random/465-m65-delete 1 + 1
random/470-m70-rename 1 + 1
random/480-m80-null 1 + 2
random/481-m81-delete 1 + 2
random/484-m84-retype 2 + 1
random/486-m86-null 1 + 2
random/496-m96-delete 1 + 2
random/500-m100-null 1 + 2
random/503-m103-null 1 + 1
random/509-m109-retype 1 + 1
random/514-m114-null 1 + 1
random/516-m116-delete 1 + 1
random/536-m136-delete 2 + 1
"""

TRUE_FINDINGS: Final = {
    "ADR005": _ADR005.strip().splitlines(),
    "ADR006": _ADR006.strip().splitlines(),
    "ADR008": _ADR008.strip().splitlines(),
    "ADR009": _ADR009.strip().splitlines(),
    "DEP002": _DEP002.strip().splitlines(),
    "PRV007": _PRV007.strip().splitlines(),
    "PRV008": _PRV008.strip().splitlines(),
    "PRV009": _PRV009.strip().splitlines(),
}
