-- Policies that hide the rows of other organizations, for PostgreSQL. Connections of the previous
-- version do not set intray.isolated, and still see all rows.
-- +goose StatementBegin
DO $$
DECLARE
	condition TEXT := '(SELECT coalesce(current_setting(''intray.isolated'', true), '''') <> ''on'')
		OR (SELECT current_setting(''intray.org'', true)) = ''*'' OR ';
	own RECORD;
BEGIN
	FOR own IN SELECT t, 'org = (SELECT current_setting(''intray.org'', true))' AS is_visible FROM unnest(ARRAY[
			'licences', 'schemas', 'imports', 'uploads', 'sessions', 'credentials', 'replays', 'memories', 'memory_versions', 'edits',
			'webhooks', 'deliveries', 'connectors', 'pulled', 'retention', 'receipts', 'org_usage', 'upload_days', 'import_links', 'import_link_logos'
		]) AS t
		UNION ALL SELECT 'orgs', 'id = (SELECT current_setting(''intray.org'', true))'
		UNION ALL SELECT 'attempts', 'EXISTS (SELECT 1 FROM deliveries WHERE deliveries.id = delivery_id)'
		UNION ALL SELECT 'pulls', 'EXISTS (SELECT 1 FROM connectors WHERE connectors.id = connector_id)'
	LOOP
		EXECUTE format('ALTER TABLE %I ENABLE ROW LEVEL SECURITY', own.t);
		EXECUTE format('ALTER TABLE %I FORCE ROW LEVEL SECURITY', own.t);
		EXECUTE format('CREATE POLICY organization ON %I USING (%s)', own.t, condition || own.is_visible);
	END LOOP;
END $$;
-- +goose StatementEnd
