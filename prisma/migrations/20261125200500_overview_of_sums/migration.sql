-- What Prisma cannot say: the overview reads sums of hours, and beside them what they leave out.
CREATE INDEX "activities_outside_analytics_idx" ON "activities" ("user_id", "created_at") WHERE NOT "in_analytics";
