package dev.rowhash.nifi;

import java.util.List;
import java.util.Map;
import java.util.TreeMap;
import javax.sql.DataSource;
import org.springframework.batch.core.configuration.support.MapJobRegistry;
import org.springframework.batch.core.job.DefaultJobKeyGenerator;
import org.springframework.batch.core.job.Job;
import org.springframework.batch.core.job.JobExecution;
import org.springframework.batch.core.job.JobInstance;
import org.springframework.batch.core.job.parameters.JobParameters;
import org.springframework.batch.core.job.parameters.JobParametersBuilder;
import org.springframework.batch.core.step.StepExecution;
import org.springframework.batch.core.job.builder.JobBuilder;
import org.springframework.batch.core.launch.support.TaskExecutorJobOperator;
import org.springframework.batch.core.repository.JobRepository;
import org.springframework.batch.core.repository.support.JdbcJobRepositoryFactoryBean;
import org.springframework.batch.core.step.builder.StepBuilder;
import org.springframework.batch.infrastructure.repeat.RepeatStatus;
import org.springframework.jdbc.datasource.DataSourceTransactionManager;

/** Spring Batch 6: history through JobRepository, which is its JobExplorer. */
final class RealSpringBatch implements SpringBatch {

    private final DataSourceTransactionManager transactions;
    private final JobRepository repository;

    RealSpringBatch(final DataSource database, final String prefix) throws Exception {
        transactions = new DataSourceTransactionManager(database);
        final JdbcJobRepositoryFactoryBean repositories = new JdbcJobRepositoryFactoryBean();
        repositories.setDataSource(database);
        repositories.setTransactionManager(transactions);
        repositories.setTablePrefix(prefix);
        repositories.afterPropertiesSet();
        repository = repositories.getObject();
    }

    @Override
    public String version() {
        return "6";
    }

    @Override
    public String jobKey(final Map<String, String> parameters) {
        return new DefaultJobKeyGenerator().generateKey(typed(parameters));
    }

    @Override
    public List<Execution> executions(final String jobName, final Map<String, String> parameters) {
        final JobInstance instance = repository.getJobInstance(jobName, typed(parameters));
        return instance == null ? List.of()
                : repository.getJobExecutions(instance).stream().map(RealSpringBatch::execution).toList();
    }

    @Override
    public String launch(final String jobName, final Map<String, String> parameters) {
        final Job job = new JobBuilder(jobName, repository).start(new StepBuilder("load", repository)
                .tasklet((contribution, context) -> RepeatStatus.FINISHED, transactions).build()).build();
        try {
            final TaskExecutorJobOperator launcher = new TaskExecutorJobOperator();
            launcher.setJobRepository(repository);
            launcher.setJobRegistry(new MapJobRegistry());
            launcher.afterPropertiesSet();
            return launcher.start(job, typed(parameters)).getStatus().name();
        } catch (final Exception e) {
            return e.getClass().getSimpleName();
        }
    }

    private static JobParameters typed(final Map<String, String> parameters) {
        final JobParametersBuilder builder = new JobParametersBuilder();
        parameters.forEach(builder::addString);
        return builder.toJobParameters();
    }

    private static Execution execution(final JobExecution of) {
        final Map<String, String> parameters = new TreeMap<>();
        of.getJobParameters().parameters().forEach(parameter -> parameters.put(parameter.name(),
                parameter.value() + " " + parameter.type().getSimpleName() + " " + parameter.identifying()));
        return new Execution(of.getId(), of.getStatus().name(), of.getExitStatus().getExitCode(),
                of.getExitStatus().getExitDescription(), of.getVersion(), of.getCreateTime(), of.getStartTime(),
                of.getEndTime(), of.getLastUpdated(), parameters,
                of.getStepExecutions().stream().map(RealSpringBatch::step).toList());
    }

    private static Step step(final StepExecution of) {
        return new Step(of.getStepName(), of.getStatus().name(), of.getExitStatus().getExitCode(),
                of.getExitStatus().getExitDescription(), of.getStartTime(), of.getEndTime(), of.getReadCount(),
                of.getWriteCount(), of.getReadSkipCount(), of.getProcessSkipCount(), of.getWriteSkipCount());
    }
}
