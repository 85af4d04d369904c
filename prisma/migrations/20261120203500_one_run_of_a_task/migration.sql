-- A task does not run twice at once, on whichever servers.
CREATE UNIQUE INDEX automation_runs_active_task_key ON automation_runs (task_type) WHERE status IN ('pending', 'running');
