// Tables; see app.table.
