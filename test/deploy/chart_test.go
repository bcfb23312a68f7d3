package deploy

import (
	"encoding/json"
	"maps"
	"os"
	"path"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"testing"

	"helm.sh/helm/v3/pkg/chart/loader"
	"helm.sh/helm/v3/pkg/chartutil"
	"helm.sh/helm/v3/pkg/engine"
	appsv1 "k8s.io/api/apps/v1"
	autoscalingv2 "k8s.io/api/autoscaling/v2"
	corev1 "k8s.io/api/core/v1"
	networkingv1 "k8s.io/api/networking/v1"
	policyv1 "k8s.io/api/policy/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"sigs.k8s.io/yaml"
)

const chartFolder = "deploy/helm/intray"

// masterKey is a valid master key.
const masterKey = "AAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAA="

// serviceMonitor contains the fields of a ServiceMonitor that the chart may set.
type serviceMonitor struct {
	metav1.TypeMeta   `json:",inline"`
	metav1.ObjectMeta `json:"metadata,omitempty"`
	Spec              struct {
		Selector  metav1.LabelSelector `json:"selector"`
		Endpoints []struct {
			Port     string `json:"port"`
			Path     string `json:"path"`
			Interval string `json:"interval"`
		} `json:"endpoints"`
	} `json:"spec"`
}

// kinds returns an empty object of each kind that the chart may contain.
func kinds() map[string]any {
	return map[string]any{
		"apps/v1 Deployment":                      &appsv1.Deployment{},
		"autoscaling/v2 HorizontalPodAutoscaler":  &autoscalingv2.HorizontalPodAutoscaler{},
		"v1 ConfigMap":                            &corev1.ConfigMap{},
		"v1 PersistentVolumeClaim":                &corev1.PersistentVolumeClaim{},
		"v1 Secret":                               &corev1.Secret{},
		"v1 Service":                              &corev1.Service{},
		"v1 ServiceAccount":                       &corev1.ServiceAccount{},
		"networking.k8s.io/v1 Ingress":            &networkingv1.Ingress{},
		"networking.k8s.io/v1 NetworkPolicy":      &networkingv1.NetworkPolicy{},
		"policy/v1 PodDisruptionBudget":           &policyv1.PodDisruptionBudget{},
		"monitoring.coreos.com/v1 ServiceMonitor": &serviceMonitor{},
	}
}

// render renders the chart with values in YAML. It returns the files by name.
func render(t *testing.T, values string) (map[string]string, error) {
	t.Helper()
	chart, err := loader.Load(repository(t, chartFolder))
	if err != nil {
		t.Fatal(err)
	}
	own, err := chartutil.ReadValues([]byte(values))
	if err != nil {
		t.Fatal(err)
	}
	all, err := chartutil.ToRenderValues(chart, own, chartutil.ReleaseOptions{Name: "demo", Namespace: "tools"}, chartutil.DefaultCapabilities)
	if err != nil {
		return nil, err
	}
	return engine.Engine{Strict: true}.Render(chart, all)
}

// objects renders the chart, and decodes all objects. An unknown field is an error. It returns the
// objects by kind and name.
func objects(t *testing.T, values string) map[string]any {
	t.Helper()
	files, err := render(t, values)
	if err != nil {
		t.Fatal(err)
	}
	found := map[string]any{}
	for name, text := range files {
		if path.Ext(name) != ".yaml" {
			continue
		}
		for _, document := range strings.Split(text, "\n---\n") {
			if strings.TrimSpace(document) == "" {
				continue
			}
			var object metav1.PartialObjectMetadata
			if err := yaml.Unmarshal([]byte(document), &object); err != nil {
				t.Fatalf("%s: %v\n%s", name, err, document)
			}
			into, known := kinds()[object.APIVersion+" "+object.Kind]
			if !known {
				t.Fatalf("%s: the kind %s %s is unknown", name, object.APIVersion, object.Kind)
			}
			if err := yaml.UnmarshalStrict([]byte(document), into); err != nil {
				t.Fatalf("%s: %v\n%s", name, err, document)
			}
			found[object.Kind+" "+object.Name] = into
		}
	}
	return found
}

// The values of the tests.
const (
	replicated = `
baseURL: https://intray.example.org
secret: {masterKey: ` + masterKey + `, databaseURL: "postgres://intray:password@db:5432/intray"}
bucket: {url: s3://intray-files, region: eu-central-1}
`
	single = `
mode: single
baseURL: https://intray.example.org
secret: {masterKey: ` + masterKey + `}
`
	everything = `
baseURL: https://intray.example.org
fullnameOverride: imports
image: {tag: 0.1.1, pullSecrets: [{name: registry}]}
secret: {existingSecret: intray-secrets}
bucket: {url: s3://intray-files/prefix, endpoint: "https://s3.example.org"}
trustedProxies: [10.0.0.0/8, "fd00::/8"]
settings: {INTRAY_MAX_FILE_SIZE: 104857600, INTRAY_DIRECT_UPLOADS: true, INTRAY_QUOTA: "stored-bytes=50000000000"}
extraEnv: [{name: INTRAY_DATABASE_URL, valueFrom: {secretKeyRef: {name: database, key: uri}}}]
autoscaling: {enabled: true, minReplicas: 3, maxReplicas: 9}
service: {annotations: {example.org/a: b}}
ingress: {enabled: true, className: nginx, tlsSecret: intray-tls, annotations: {nginx.ingress.kubernetes.io/proxy-body-size: 1025m}}
networkPolicy: {enabled: true, from: [{namespaceSelector: {matchLabels: {name: ingress}}}], metricsFrom: [{namespaceSelector: {matchLabels: {name: monitoring}}}]}
metrics: {serviceMonitor: {enabled: true, labels: {release: prometheus}}}
serviceAccount: {annotations: {eks.amazonaws.com/role-arn: "arn:aws:iam::123456789012:role/intray"}}
podAnnotations: {example.org/c: d}
nodeSelector: {kubernetes.io/arch: amd64}
tolerations: [{key: dedicated, operator: Exists}]
affinity: {nodeAffinity: {}}
`
)

// object returns an object that must exist.
func object[T any](t *testing.T, all map[string]any, name string) T {
	t.Helper()
	found, ok := all[name].(T)
	if !ok {
		t.Fatalf("there is no %s in %q", name, slices.Sorted(maps.Keys(all)))
	}
	return found
}

// TestChartObjects checks the kinds and names of the objects.
func TestChartObjects(t *testing.T) {
	for values, want := range map[string][]string{
		replicated: {"ConfigMap demo-intray", "Deployment demo-intray", "PodDisruptionBudget demo-intray", "Secret demo-intray", "Service demo-intray", "Service demo-intray-metrics", "ServiceAccount demo-intray"},
		single:     {"ConfigMap demo-intray", "Deployment demo-intray", "PersistentVolumeClaim demo-intray", "Secret demo-intray", "Service demo-intray", "Service demo-intray-metrics", "ServiceAccount demo-intray"},
		everything: {
			"ConfigMap imports", "Deployment imports", "HorizontalPodAutoscaler imports", "Ingress imports", "NetworkPolicy imports", "PodDisruptionBudget imports",
			"Service imports", "Service imports-metrics", "ServiceAccount imports", "ServiceMonitor imports",
		},
	} {
		if got := slices.Sorted(maps.Keys(objects(t, values))); !slices.Equal(got, want) {
			t.Errorf("the chart contains %q, want %q", got, want)
		}
	}
}

// TestChartRestrictions checks that the pods fulfill the standard "restricted" of Kubernetes.
func TestChartRestrictions(t *testing.T) {
	for _, values := range []string{replicated, single, everything} {
		for name, one := range objects(t, values) {
			deployment, ok := one.(*appsv1.Deployment)
			if !ok {
				continue
			}
			pod := deployment.Spec.Template.Spec
			p, c := pod.SecurityContext, pod.Containers[0].SecurityContext
			switch {
			case p.RunAsNonRoot == nil || !*p.RunAsNonRoot || p.RunAsUser == nil || *p.RunAsUser != 65532:
				t.Errorf("%s: the pod can run as root", name)
			case p.SeccompProfile == nil || p.SeccompProfile.Type != corev1.SeccompProfileTypeRuntimeDefault:
				t.Errorf("%s: the pod has no seccomp profile", name)
			case c.AllowPrivilegeEscalation == nil || *c.AllowPrivilegeEscalation || c.ReadOnlyRootFilesystem == nil || !*c.ReadOnlyRootFilesystem:
				t.Errorf("%s: the container is not restricted", name)
			case len(c.Capabilities.Drop) != 1 || c.Capabilities.Drop[0] != "ALL" || len(c.Capabilities.Add) > 0:
				t.Errorf("%s: the container has capabilities", name)
			case pod.AutomountServiceAccountToken == nil || *pod.AutomountServiceAccountToken:
				t.Errorf("%s: the pod receives a token for the API of Kubernetes", name)
			}
			for _, volume := range pod.Volumes {
				if volume.HostPath != nil {
					t.Errorf("%s: the volume %s is a folder of the node", name, volume.Name)
				}
			}
		}
	}
}

// TestChartDeployment checks the settings on which upgrades and data depend.
func TestChartDeployment(t *testing.T) {
	spec := object[*appsv1.Deployment](t, objects(t, replicated), "Deployment demo-intray").Spec
	if *spec.Replicas != 2 || spec.Strategy.RollingUpdate.MaxUnavailable.IntValue() != 0 {
		t.Errorf("the deployment has %d replicas and the strategy %v", *spec.Replicas, spec.Strategy)
	}
	pod := spec.Template.Spec
	container := pod.Containers[0]
	if container.Image != "ghcr.io/intraydata/intray:0.1.0" {
		t.Errorf("the image is %s", container.Image)
	}
	// Intray exits within 10 s of SIGTERM, which it receives after preStop.
	if stop := container.Lifecycle.PreStop.Sleep.Seconds; *pod.TerminationGracePeriodSeconds < stop+10 {
		t.Errorf("the pod has %d s to stop, of which preStop takes %d", *pod.TerminationGracePeriodSeconds, stop)
	}
	for kind, probe := range map[string]*corev1.Probe{"/healthz": container.LivenessProbe, "/readyz": container.ReadinessProbe} {
		if probe.HTTPGet.Path != kind || probe.HTTPGet.Port.StrVal != "http" {
			t.Errorf("the probe of %s is %v", kind, probe.HTTPGet)
		}
	}
	if data := pod.Volumes[0]; data.EmptyDir == nil || container.VolumeMounts[0].MountPath != "/data" {
		t.Errorf("replicas share the volume %v", data)
	}
	if budget := container.Resources.Limits.Memory().Value(); budget < 1<<30 {
		t.Errorf("the memory limit is %d bytes", budget)
	}

	alone := object[*appsv1.Deployment](t, objects(t, single), "Deployment demo-intray").Spec
	if *alone.Replicas != 1 || alone.Strategy.Type != appsv1.RecreateDeploymentStrategyType {
		t.Errorf("in the mode single, the deployment has %d replicas and the strategy %v", *alone.Replicas, alone.Strategy)
	}
	if data := alone.Template.Spec.Volumes[0]; data.PersistentVolumeClaim == nil || data.PersistentVolumeClaim.ClaimName != "demo-intray" {
		t.Errorf("in the mode single, the data is in %v", data)
	}

	scaled := object[*appsv1.Deployment](t, objects(t, everything), "Deployment imports").Spec
	if scaled.Replicas != nil {
		t.Error("each upgrade would reset the number of replicas that the autoscaler has chosen")
	}
	if from := scaled.Template.Spec.Containers[0].EnvFrom[1].SecretRef.Name; from != "intray-secrets" {
		t.Errorf("the secrets come from %s", from)
	}
}

// TestChartSelectors checks that services, policies and monitors select the pods, and that labels
// that change with a version are not part of selectors.
func TestChartSelectors(t *testing.T) {
	all := objects(t, everything)
	deployment := object[*appsv1.Deployment](t, all, "Deployment imports")
	labels := deployment.Spec.Template.Labels
	metrics := object[*corev1.Service](t, all, "Service imports-metrics")
	for name, selector := range map[string]map[string]string{
		"Deployment":          deployment.Spec.Selector.MatchLabels,
		"Service":             object[*corev1.Service](t, all, "Service imports").Spec.Selector,
		"Service metrics":     metrics.Spec.Selector,
		"PodDisruptionBudget": object[*policyv1.PodDisruptionBudget](t, all, "PodDisruptionBudget imports").Spec.Selector.MatchLabels,
		"NetworkPolicy":       object[*networkingv1.NetworkPolicy](t, all, "NetworkPolicy imports").Spec.PodSelector.MatchLabels,
	} {
		if len(selector) != 2 || !isSubset(selector, labels) {
			t.Errorf("%s: the selector is %v, and the labels of the pods are %v", name, selector, labels)
		}
	}
	monitor := object[*serviceMonitor](t, all, "ServiceMonitor imports")
	if !isSubset(monitor.Spec.Selector.MatchLabels, metrics.Labels) || isSubset(monitor.Spec.Selector.MatchLabels, object[*corev1.Service](t, all, "Service imports").Labels) {
		t.Errorf("the monitor selects %v", monitor.Spec.Selector.MatchLabels)
	}
	if monitor.Spec.Endpoints[0].Port != metrics.Spec.Ports[0].Name {
		t.Errorf("the monitor reads the port %s", monitor.Spec.Endpoints[0].Port)
	}
	rule := object[*networkingv1.Ingress](t, all, "Ingress imports").Spec.Rules[0]
	if rule.Host != "intray.example.org" || rule.HTTP.Paths[0].Backend.Service.Name != "imports" {
		t.Errorf("the ingress forwards %v", rule)
	}
}

func isSubset(part, whole map[string]string) bool {
	for name, value := range part {
		if whole[name] != value {
			return false
		}
	}
	return true
}

// TestChartVariables checks that intray serve reads all variables that the chart can set, and that
// the chart can set all of them.
func TestChartVariables(t *testing.T) {
	config := object[*corev1.ConfigMap](t, objects(t, everything), "ConfigMap imports").Data
	for name, want := range map[string]string{
		"INTRAY_MAX_FILE_SIZE": "104857600", "INTRAY_DIRECT_UPLOADS": "true", "INTRAY_TRUSTED_PROXY": "10.0.0.0/8,fd00::/8", "INTRAY_BLOB_URL": "s3://intray-files/prefix",
	} {
		if config[name] != want {
			t.Errorf("%s is %q, want %q", name, config[name], want)
		}
	}
	var schema struct {
		Properties struct {
			Settings struct{ Properties map[string]any }
		}
	}
	if err := json.Unmarshal([]byte(read(t, repository(t, chartFolder, "values.schema.json"))), &schema); err != nil {
		t.Fatal(err)
	}
	set := schema.Properties.Settings.Properties
	secret := object[*corev1.Secret](t, objects(t, replicated), "Secret demo-intray").StringData
	// Probes and the ingress use plain HTTP, containers have no access to cgroups, and the new master
	// key is part of a rotation.
	elsewhere := []string{"INTRAY_TLS_CERT", "INTRAY_TLS_KEY", "INTRAY_HOOK_CGROUP", "INTRAY_NEW_MASTER_KEY", "INTRAY_BACKEND_KEY", "INTRAY_FRONTEND_KEY"}
	for name := range serveVariables(t) {
		_, inConfig := config[name]
		_, inSecret := secret[name]
		if set[name] == nil && !inConfig && !inSecret && !slices.Contains(elsewhere, name) {
			t.Errorf("the chart cannot set %s", name)
		}
	}
}

// TestChartRefusals checks that wrong values are refused with a message that says what to do.
func TestChartRefusals(t *testing.T) {
	for values, want := range map[string]string{
		"":                                      "baseURL is \"\". Set it to the URL",
		replicated + "replica: 3":               "replica",
		replicated + "ingress: {enabeld: true}": "enabeld",
		replicated + "replicas: many":           "want null or integer",
		replicated + "mode: cluster":            "'replicated', 'single'",
		replicated + "settings: {INTRAY_QUOTE: a=1}":                          "INTRAY_QUOTE",
		replicated + "baseURL: intray.example.org":                            "Set it to the URL",
		replicated + "baseURL: https://example.org/a":                         "without a path",
		replicated + "image: {pullPolicy: always}":                            "'Always'",
		replicated + "secret: {masterKey: short}":                             "masterKey",
		replicated + "secret: {}":                                             "There is no master key. Set secret.masterKey",
		replicated + "secret: {masterKey: " + masterKey + "}":                 "Replicas share a PostgreSQL database. Set secret.databaseURL",
		replicated + "secret: {existingSecret: a, databaseURL: postgres://b}": "secret.existingSecret replaces the other values",
		replicated + "bucket: {}":                                             "Replicas share a bucket. Set bucket.url",
		replicated + "bucket: {url: intray-files}":                            "bucket",
		replicated + "autoscaling: {enabled: true, minReplicas: 7}":           "minReplicas is greater than",
		replicated + "ingress: {enabled: true}":                               "Set ingress.tlsSecret",
		single + "replicas: 2":                                                "runs one replica. Remove replicas",
		single + "autoscaling: {enabled: true}":                               "runs one replica. Remove replicas",
		single + "bucket: {url: s3://a}":                                      "uses SQLite and a volume. Remove",
		single + "persistence: {size: big}":                                   "size",
	} {
		// A later key replaces an earlier one.
		merged := map[string]any{}
		for _, line := range regexp.MustCompile(`(?m)^[a-zA-Z]+: .*$`).FindAllString(values, -1) {
			if err := yaml.Unmarshal([]byte(line), &merged); err != nil {
				t.Fatal(err)
			}
		}
		text, err := yaml.Marshal(merged)
		if err != nil {
			t.Fatal(err)
		}
		if _, err := render(t, string(text)); err == nil || !strings.Contains(err.Error(), want) {
			t.Errorf("%s\nthe error is %v\nit does not contain %q", text, err, want)
		}
	}
}

// TestChartTable checks that the README of the chart describes each value, and nothing else.
func TestChartTable(t *testing.T) {
	values, err := chartutil.ReadValuesFile(repository(t, chartFolder, "values.yaml"))
	if err != nil {
		t.Fatal(err)
	}
	want := leaves("", values)
	var got []string
	for _, match := range regexp.MustCompile("(?m)^\\| `([a-zA-Z.]+)` \\|").FindAllStringSubmatch(read(t, repository(t, chartFolder, "README.md")), -1) {
		got = append(got, match[1])
	}
	slices.Sort(got)
	if !slices.Equal(got, want) {
		t.Errorf("the README describes\n%q, want\n%q", got, want)
	}
}

// leaves returns the names of all values that are not groups of others.
func leaves(prefix string, values map[string]any) (names []string) {
	for name, value := range values {
		group, ok := value.(map[string]any)
		if !ok || len(group) == 0 || name == "resources" {
			names = append(names, prefix+name)
			continue
		}
		names = append(names, leaves(prefix+name+".", group)...)
	}
	slices.Sort(names)
	return names
}

// TestChartNotes checks the text that Helm shows after the installation.
func TestChartNotes(t *testing.T) {
	files, err := render(t, replicated)
	if err != nil {
		t.Fatal(err)
	}
	notes := files["intray/templates/NOTES.txt"]
	if !strings.Contains(notes, "service/demo-intray 8080:80") || strings.Contains(notes, "<no value>") {
		t.Errorf("the notes are\n%s", notes)
	}
}

// TestChartExample checks the values in the guide.
func TestChartExample(t *testing.T) {
	text, err := os.ReadFile(repository(t, "docs/deployment.md"))
	if err != nil {
		t.Fatal(err)
	}
	examples := regexp.MustCompile("(?s)```yaml\n(.*?)```").FindAllStringSubmatch(string(text), -1)
	if len(examples) < 2 {
		t.Fatalf("%s has %d examples", filepath.Base("docs/deployment.md"), len(examples))
	}
	for _, example := range examples {
		objects(t, example[1])
	}
}
