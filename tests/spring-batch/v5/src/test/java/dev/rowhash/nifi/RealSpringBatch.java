package dev.rowhash.nifi;

import java.util.List;
import java.util.Map;
import java.util.TreeMap;
import javax.sql.DataSource;
import org.springframework.batch.core.DefaultJobKeyGenerator;
import org.springframework.batch.core.Job;
import org.springframework.batch.core.JobExecution;
import org.springframework.batch.core.JobInstance;
import org.springframework.batch.core.JobParameters;
import org.springframework.batch.core.JobParametersBuilder;
import org.springframework.batch.core.StepExecution;
import org.springframework.batch.core.explore.JobExplorer;
import org.springframework.batch.core.explore.support.JobExplorerFactoryBean;
import org.springframework.batch.core.job.builder.JobBuilder;
import org.springframework.batch.core.launch.support.TaskExecutorJobLauncher;
import org.springframework.batch.core.repository.JobRepository;
import org.springframework.batch.core.repository.support.JobRepositoryFactoryBean;
import org.springframework.batch.core.step.builder.StepBuilder;
import org.springframework.batch.repeat.RepeatStatus;
import org.springframework.jdbc.datasource.DataSourceTransactionManager;

/** Spring Batch 5: history through JobExplorer. */
final class RealSpringBatch implements SpringBatch {

    private final DataSourceTransactionManager transactions;
    private final JobRepository repository;
    private final JobExplorer explorer;

    RealSpringBatch(final DataSource database, final String prefix) throws Exception {
        transactions = new DataSourceTransactionManager(database);
        final JobRepositoryFactoryBean repositories = new JobRepositoryFactoryBean();
        repositories.setDataSource(database);
        repositories.setTransactionManager(transactions);
        repositories.setTablePrefix(prefix);
        repositories.afterPropertiesSet();
        repository = repositories.getObject();
        final JobExplorerFactoryBean explorers = new JobExplorerFactoryBean();
        explorers.setDataSource(database);
        explorers.setTransactionManager(transactions);
        explorers.setTablePrefix(prefix);
        explorers.afterPropertiesSet();
        explorer = explorers.getObject();
    }

    @Override
    public String version() {
        return "5";
    }

    @Override
    public String jobKey(final Map<String, String> parameters) {
        return new DefaultJobKeyGenerator().generateKey(typed(parameters));
    }

    @Override
    public List<Execution> executions(final String jobName, final Map<String, String> parameters) {
        final JobInstance instance = explorer.getJobInstance(jobName, typed(parameters));
        return instance == null ? List.of()
                : explorer.getJobExecutions(instance).stream().map(RealSpringBatch::execution).toList();
    }

    @Override
    public String launch(final String jobName, final Map<String, String> parameters) {
        final Job job = new JobBuilder(jobName, repository).start(new StepBuilder("load", repository)
                .tasklet((contribution, context) -> RepeatStatus.FINISHED, transactions).build()).build();
        try {
            final TaskExecutorJobLauncher launcher = new TaskExecutorJobLauncher();
            launcher.setJobRepository(repository);
            launcher.afterPropertiesSet();
            return launcher.run(job, typed(parameters)).getStatus().name();
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
        of.getJobParameters().getParameters().forEach((name, parameter) -> parameters.put(name,
                parameter.getValue() + " " + parameter.getType().getSimpleName() + " " + parameter.isIdentifying()));
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
