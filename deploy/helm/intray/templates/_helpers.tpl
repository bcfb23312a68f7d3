{{- define "intray.name" -}}
{{- default .Chart.Name .Values.nameOverride | trunc 63 | trimSuffix "-" }}
{{- end }}

{{- define "intray.fullname" -}}
{{- $name := default .Chart.Name .Values.nameOverride }}
{{- if .Values.fullnameOverride }}
{{- .Values.fullnameOverride | trunc 63 | trimSuffix "-" }}
{{- else if contains $name .Release.Name }}
{{- .Release.Name | trunc 63 | trimSuffix "-" }}
{{- else }}
{{- printf "%s-%s" .Release.Name $name | trunc 63 | trimSuffix "-" }}
{{- end }}
{{- end }}

{{- define "intray.selector" -}}
app.kubernetes.io/name: {{ include "intray.name" . }}
app.kubernetes.io/instance: {{ .Release.Name }}
{{- end }}

{{- define "intray.labels" -}}
helm.sh/chart: {{ printf "%s-%s" .Chart.Name .Chart.Version | replace "+" "_" }}
{{ include "intray.selector" . }}
app.kubernetes.io/version: {{ .Chart.AppVersion | quote }}
app.kubernetes.io/managed-by: {{ .Release.Service }}
{{- end }}

{{- define "intray.serviceAccount" -}}
{{- if .Values.serviceAccount.create }}
{{- default (include "intray.fullname" .) .Values.serviceAccount.name }}
{{- else }}
{{- default "default" .Values.serviceAccount.name }}
{{- end }}
{{- end }}

{{- define "intray.secret" -}}
{{- default (include "intray.fullname" .) .Values.secret.existingSecret }}
{{- end }}

{{/* Names of the variables in extraEnv. */}}
{{- define "intray.extraNames" -}}
{{- range .Values.extraEnv }}{{ .name }} {{ end }}
{{- end }}

{{/* Refuses values that contradict each other. Each message says what to do. */}}
{{- define "intray.check" -}}
{{- $extra := splitList " " (include "intray.extraNames" .) }}
{{- $url := urlParse .Values.baseURL }}
{{- if not (and (has $url.scheme (list "https" "http")) $url.host (not $url.path)) }}
{{- fail (printf "baseURL is %q. Set it to the URL at which clients reach Intray, without a path, such as https://intray.example.org." .Values.baseURL) }}
{{- end }}
{{- if and (not .Values.secret.existingSecret) (not .Values.secret.masterKey) (not (has "INTRAY_MASTER_KEY" $extra)) }}
{{- fail "There is no master key. Set secret.masterKey to the output of \"openssl rand -base64 32\", or secret.existingSecret to the name of a Secret with the key INTRAY_MASTER_KEY." }}
{{- end }}
{{- if and .Values.secret.existingSecret (or .Values.secret.masterKey .Values.secret.databaseURL .Values.secret.awsAccessKeyID .Values.secret.awsSecretAccessKey .Values.secret.backendKey .Values.secret.frontendKey) }}
{{- fail "secret.existingSecret replaces the other values of secret. Remove them, or remove secret.existingSecret." }}
{{- end }}
{{- if eq .Values.mode "single" }}
{{- if or .Values.secret.databaseURL .Values.bucket.url (has "INTRAY_DATABASE_URL" $extra) }}
{{- fail "The mode \"single\" uses SQLite and a volume. Remove secret.databaseURL and bucket.url, or set mode to \"replicated\"." }}
{{- end }}
{{- if or .Values.autoscaling.enabled (gt (int .Values.replicas) 1) }}
{{- fail "The mode \"single\" runs one replica. Remove replicas and autoscaling.enabled, or set mode to \"replicated\"." }}
{{- end }}
{{- else }}
{{- if and (not .Values.secret.existingSecret) (not .Values.secret.databaseURL) (not (has "INTRAY_DATABASE_URL" $extra)) }}
{{- fail "Replicas share a PostgreSQL database. Set secret.databaseURL, or secret.existingSecret to the name of a Secret with the key INTRAY_DATABASE_URL, or mode to \"single\"." }}
{{- end }}
{{- if not .Values.bucket.url }}
{{- fail "Replicas share a bucket. Set bucket.url to s3://BUCKET, or mode to \"single\"." }}
{{- end }}
{{- end }}
{{- if and .Values.autoscaling.enabled (gt (int .Values.autoscaling.minReplicas) (int .Values.autoscaling.maxReplicas)) }}
{{- fail "autoscaling.minReplicas is greater than autoscaling.maxReplicas." }}
{{- end }}
{{- if and .Values.ingress.enabled (eq $url.scheme "https") (not .Values.ingress.tlsSecret) (not .Values.ingress.annotations) }}
{{- fail "baseURL starts with https. Set ingress.tlsSecret to the Secret with the certificate, or ingress.annotations if the ingress controller has one." }}
{{- end }}
{{- end }}
